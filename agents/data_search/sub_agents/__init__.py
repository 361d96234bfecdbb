"""The agents of the pipeline, a module for each stage; they import google.adk, the callbacks and the tools."""

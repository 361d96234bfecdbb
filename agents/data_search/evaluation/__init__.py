"""How often the agent is right: the demo's questions with the SQL of their answers, asked and compared.

It imports the agent and, for `adk eval` alone, ADK's evaluation.
"""

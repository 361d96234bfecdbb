"""A scripted stand-in for a language model: it speaks OpenAI's chat completions and knows no agent.

Imports Starlette, uvicorn and the standard library only.
"""

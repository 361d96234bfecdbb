"""A scripted stand-in for a language model, and its tests: it speaks OpenAI's chat completions and knows no agent.

It imports Starlette, uvicorn and the standard library only.
"""

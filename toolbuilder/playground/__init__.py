"""The playground: chats with a language model that has the caller's tools, and evaluations of their descriptions."""

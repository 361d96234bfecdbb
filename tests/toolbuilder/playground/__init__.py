"""Chats and evaluations with a scripted model and a real served side."""

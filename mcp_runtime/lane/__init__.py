"""The direct lane: plain requests answered from bytes to bytes, before the SDK sees them.

It only ever says yes. A request that is unusual in any way is handed on untouched, so that every error of
the protocol is FastMCP's own. Covered by tests/mcp_runtime/lane, which sends each request both ways.
"""

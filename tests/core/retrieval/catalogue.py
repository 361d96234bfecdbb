"""A small catalogue of tools in three languages, which the tests of the search share."""

from core.retrieval.glossary import Concept, Glossary
from core.retrieval.index import ToolIndex
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.ranker import ToolRanker
from core.retrieval.tool_texts import IndexEntry

READS = MCPAnnotations(read_only=True, destructive=False, idempotent=True)
WRITES = MCPAnnotations(read_only=False, destructive=False)
DELETES = MCPAnnotations(read_only=False, destructive=True)

CONCEPTS = (
    Concept(
        "user", {"en": ("user", "member"), "ko": ("사용자", "회원"), "ja": ("ユーザー", "会員")}
    ),
    Concept("order", {"en": ("order",), "ko": ("주문",), "ja": ("注文",)}),
    Concept("shipping_fee", {"en": ("shipping fee",), "ko": ("배송비",), "ja": ("送料",)}),
)


def parameter(name: str, *, required: bool = True) -> ToolParameter:
    return ToolParameter(name, "string", name.replace("_", " "), required=required)


TOOLS = (
    Tool("get_user", "", "Returns one user.", (parameter("user_id"),), READS, ("users",)),
    Tool("list_users", "", "모든 사용자 목록을 조회합니다.", (), READS, ("users",)),
    Tool("create_user", "", "Creates a user account.", (parameter("email"),), WRITES, ("users",)),
    Tool(
        "update_user", "", "사용자 정보를 수정합니다.", (parameter("user_id"),), WRITES, ("users",)
    ),
    Tool("delete_user", "", "ユーザーを削除します。", (parameter("user_id"),), DELETES, ("users",)),
    Tool("list_orders", "", "注文の一覧を取得します。", (parameter("user_id"),), READS, ("sales",)),
    Tool("cancel_order", "", "주문을 취소합니다.", (parameter("order_id"),), DELETES, ("sales",)),
    Tool("get_weather", "", "Weather forecast of a city.", (parameter("city"),), READS),
)


def make_index(*tools: Tool) -> ToolIndex:
    index = ToolIndex(Glossary(CONCEPTS))
    for tool in tools or TOOLS:
        index.put(IndexEntry(tool))
    return index


def make_ranker(*tools: Tool) -> ToolRanker:
    return ToolRanker(make_index(*tools))

"""All models of this app, from the modules that define them."""

from catalog.documents.models import DocumentKind, ReferenceDocument, RemovedDocument
from catalog.glossary_models import GlossaryConcept
from catalog.mcp_servers.models import McpServer, McpTool, ServerState
from catalog.sources.models import (
    Authentication,
    CheckState,
    DataSource,
    Engine,
    Origin,
    SourceCheck,
)
from catalog.table_models import (
    CatalogColumn,
    CatalogQuery,
    CatalogScan,
    CatalogTable,
    ScanPhase,
    ScanState,
    SchemaState,
    TableRelation,
    Tag,
)

__all__ = [
    "Authentication",
    "CatalogColumn",
    "CatalogQuery",
    "CatalogScan",
    "CatalogTable",
    "CheckState",
    "DataSource",
    "DocumentKind",
    "Engine",
    "GlossaryConcept",
    "McpServer",
    "McpTool",
    "Origin",
    "ReferenceDocument",
    "RemovedDocument",
    "ScanPhase",
    "ScanState",
    "SchemaState",
    "ServerState",
    "SourceCheck",
    "TableRelation",
    "Tag",
]

"""Names of the session's state keys, of the stages and their tools, and the limits of a run."""

from typing import Final

APP_NAME: Final = "data_search"

ARTIFACT_STATES: Final = "artifact_states"
COLUMN_NAMES_STATES: Final = "column_names"
COLUMN_NAMES_REF_DOCS_STATES: Final = "column_names_reference_docs"
COLUMN_NAMES_FEEDBACK: Final = "column_names_feedback"
STANDARD_COLUMNS: Final = "standard_columns"
STANDARD_COLUMNS_FEEDBACK: Final = "standard_columns_feedback"
SQL_QUERY: Final = "sql_query"
SQL_FEEDBACK: Final = "sql_feedback"
QUERY_RESULT: Final = "query_result"
CATALOGUE: Final = "catalogue"
CATALOGUE_NOTES: Final = "catalogue_notes"
CATALOGUE_TABLES: Final = "catalogue_tables"
DONE_STAGES: Final = "done_stages"
STOPPED_STAGE: Final = "stopped_stage"
RUN_ERROR: Final = "run_error"
# The values of the sentence that RUN_ERROR names.
RUN_ERROR_VALUES: Final = "run_error_values"
RUN_ID: Final = "run_id"
RUN_STARTED: Final = "run_started"
USAGE: Final = "usage"
# The question as a whole, where the message only makes sense with what was said before.
QUESTION: Final = "question"
ATTACHMENTS: Final = "attachments"
# The session's last questions; it outlives a run.
TURNS: Final = "turns"
HAS_ASKED: Final = "has_asked"
EARLIER: Final = "earlier"

COLUMN_EXTRACTION: Final = "column_extraction"
COLUMN_STANDARDIZATION: Final = "column_standardization"
SQL_GENERATION: Final = "sql_generation"
STAGES: Final = (COLUMN_EXTRACTION, COLUMN_STANDARDIZATION, SQL_GENERATION)
# What was said last about a stage's result, by stage.
FEEDBACK_KEYS: Final = {
    COLUMN_EXTRACTION: COLUMN_NAMES_FEEDBACK,
    COLUMN_STANDARDIZATION: STANDARD_COLUMNS_FEEDBACK,
    SQL_GENERATION: SQL_FEEDBACK,
}

EXECUTE_QUERY: Final = "execute_postgres_query"
COMPLETE_EXTRACTION: Final = "complete_column_extraction"
REFERENCE_DOCUMENTS: Final = "get_sql_reference_documents"
TABLE_SUMMARIES: Final = "list_table_summaries"
TABLE_DETAILS: Final = "get_table_details"

NUM_OF_DISPLAYED_DATA: Final = 5
NOTHING_FOUND: Final = "nothing_found"
WRITING_REFUSED: Final = "writing_refused"
NOT_DATA: Final = "not_data"
ASKED_BACK: Final = "asked_back"

MAX_ROUNDS: Final = 3
# Look-ups that the standardiser may make by itself in a round.
MAX_LOOKUPS: Final = 4
REFERENCE_DOCUMENT_COUNT: Final = 15
CATALOGUE_TABLE_LIMIT: Final = 8
CATALOGUE_CHARACTER_LIMIT: Final = 40_000
QUESTION_CHARACTER_LIMIT: Final = 4_000
FEEDBACK_CHARACTER_LIMIT: Final = 2_000
ARTIFACT_ROW_LIMIT: Final = 100_000
TURN_LIMIT: Final = 3
ATTACHED_ROWS: Final = 20
ATTACHED_COLUMNS: Final = 30
ATTACHED_CELL_CHARACTERS: Final = 80
ATTACHED_BYTES: Final = 10_000_000

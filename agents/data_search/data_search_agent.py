"""The pipeline: extract, standardise, query, answer, one after the other."""

import warnings

from google.adk.agents import SequentialAgent

from agents.data_search.callbacks.images import save_imgfile_artifact_before_agent_callback
from agents.data_search.callbacks.sections import load_description
from agents.data_search.callbacks.stages import begin_run_before_agent_callback
from agents.data_search.sub_agents.answer import AnswerAgent
from agents.data_search.sub_agents.building import Resources
from agents.data_search.sub_agents.column_extraction import make_column_extraction_loop
from agents.data_search.sub_agents.column_standardization import make_column_standardization_loop
from agents.data_search.sub_agents.sql_generation import make_sql_generation_loop


def build_data_search_agent(resources: Resources) -> SequentialAgent:
    """The three loops and the answer; a run may start here as well as at the root agent."""
    stages = [
        make_column_extraction_loop(resources),
        make_column_standardization_loop(resources),
        make_sql_generation_loop(resources),
        AnswerAgent(
            name="answer", description="Says the result.", is_recorded=resources.is_recorded
        ),
    ]
    with warnings.catch_warnings():
        # Its successor, Workflow, cannot be an agent under another agent yet.
        warnings.filterwarnings("ignore", "SequentialAgent is deprecated", DeprecationWarning)
        return SequentialAgent(
            name="data_search_agent",
            description=load_description("data_search_agent"),
            sub_agents=stages,
            before_agent_callback=[
                begin_run_before_agent_callback,
                save_imgfile_artifact_before_agent_callback,
            ],
        )

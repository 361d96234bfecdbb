"""What is sent to a script process arrives as it was."""

import pytest

from core.toolspec import ParameterType
from gateways.scripts.messages import FrameBuffer, decode_request, encode_request
from tests.examples import read_example


@pytest.mark.parametrize("declared", list(ParameterType))
def test_value_of_every_type_arrives_with_its_type(declared: ParameterType) -> None:
    value = read_example(declared)

    payload = FrameBuffer(10_000).add(encode_request("result = value", {"value": value}))
    text, arrived = decode_request(payload or b"")

    assert (text, arrived) == ("result = value", {"value": value})
    assert type(arrived["value"]) is type(value)

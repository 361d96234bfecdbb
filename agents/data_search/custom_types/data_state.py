"""What a run leaves behind: artifacts of images and tables, and the state that lists them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field


class BaseArtifact(BaseModel):
    """A file that was saved; `function_call_id` is "" for what the user sent."""

    type: str
    filename: str
    mime_type: str
    function_call_id: str = ""
    user_query: str = ""


class ImgArtifact(BaseArtifact):
    """An image; `img_size` is (width, height) in pixels, (0, 0) where the bytes do not say it."""

    type: Literal["img"] = "img"
    img_size: tuple[int, int] = (0, 0)


class TabularArtifact(BaseArtifact):
    """A table; `data_length` is the number of its rows, without the header."""

    type: Literal["table"] = "table"
    sql_query: str = ""
    data_length: int = 0


Artifact = Annotated[ImgArtifact | TabularArtifact, Field(discriminator="type")]


class AppState(BaseModel):
    """The artifacts of one invocation, in the order in which they were saved."""

    artifacts: list[Artifact] = Field(default_factory=list)

"""Episodes: the context tree and the nouns around it. Imports no other room, and no torch.

    Task ──────────────┐
    Environment, Tool ─┤  protocols.py
                       ▼
    Episode ── Agent ── Context ── Node (Kind, Part, Sampled, Versions)
       │                  └── Tree, Draft, Edit
       └── Reward, Outcome = Scored | Failed | Invalid

    Message (Piece, ToolCall, Malformed, ToolSpec)
    codec: dumps, loads                                 errors: one type per boundary

Always true: what was read or written once stays in the tree as it was; all else is plain data around it.
"""

from .codec import dumps, loads
from .context import Context, Edit, as_copy
from .episode import Agent, Episode, Life
from .errors import (
    BoundaryError,
    ConfigError,
    DataError,
    EngineError,
    JudgeError,
    SandboxError,
    StoreError,
    ToolError,
    TriviumError,
)
from .message import Json, Malformed, Message, Piece, Role, ToolCall, ToolSpec, printable, say, without_surrogates
from .node import Kind, Node, NodeId, Part, Sampled, StopReason, Versions
from .outcome import Failed, Invalid, Outcome, Reward, Scored
from .protocols import Environment, Tool, ToolContext, ToolResult
from .task import Task
from .tree import Draft, Tree

__all__ = [
    "Agent",
    "BoundaryError",
    "ConfigError",
    "Context",
    "DataError",
    "Draft",
    "Edit",
    "EngineError",
    "Environment",
    "Episode",
    "Failed",
    "Invalid",
    "Json",
    "JudgeError",
    "Kind",
    "Life",
    "Malformed",
    "Message",
    "Node",
    "NodeId",
    "Outcome",
    "Part",
    "Piece",
    "Reward",
    "Role",
    "Sampled",
    "SandboxError",
    "Scored",
    "StopReason",
    "StoreError",
    "Task",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "Tree",
    "TriviumError",
    "Versions",
    "as_copy",
    "dumps",
    "loads",
    "printable",
    "say",
    "without_surrogates",
]

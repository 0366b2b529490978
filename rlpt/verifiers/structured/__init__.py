"""What the verifiers of structured answers share: strict JSON, JSON Schema, tool calls and the values they may have.

All of it is for hostile text: bounded in time, without recursion beyond a fixed depth, and nothing is ever evaluated.
"""

"""All that runs inside a sandbox. Its modules are sent as text to a bare Python: the standard library is all they need.

`supervisor` is process 1. It forks a fresh child for each program (`program`), watches it (`memory`), kills whatever is
left afterwards and empties the folders that can be written to (`reset`), and says in its reply what happened and
whether the sandbox is clean again. `channel` is its end of the line to the client: descriptors 0 and 1, whose end is
the end of the sandbox. `rlpt.sandbox.cell` sends the modules and is the other end.

Supervisor and programs are one user. What keeps a program away from the supervisor: the kernel drops signals from
inside to process 1; it is not dumpable, so its memory and descriptors are closed to others; `confine` forbids the
system calls that could change it. And what one program read or wrote never lies in memory that the next one inherits:
requests are read by the child itself, output goes to pages that a fork leaves out.
"""

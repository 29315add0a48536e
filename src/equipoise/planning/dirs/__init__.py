"""Log dirs: once it is decided which broker holds what, in which of its dirs.

A broker is a case of its own (`shelves.Shelves`): its dirs, the replicas that it holds once the plan is
carried out, and where each of them lies. Counts are levelled exactly (`counts`), bytes by trying everything
where there is little (`small`), else by a search (`weighed`) with bounds in closed form (`bounds`).
"""

"""What the opponent may have kept: the racks that explain the last play, which are those that had no better one.

What a play is worth is what its tiles score on this board and what the others are worth as a leave. So for every set of
unseen tiles the most that it scores is found once (``pool``), and a rack needs no search of its own to know most of its
plays (``parts``). Racks are drawn at random (``racks``); where hardly any of them explains the play, all that there are
are gone through instead, those that begin alike together (``listing``). Whatever the known plays do not speak against is
searched for all its plays, with blanks, too.
"""

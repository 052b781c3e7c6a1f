"""What a model is asked when it makes tasks. Each answer is read by its tags (tags.py)."""

EXPLORE = """\
You write questions for people who train to search. Below are two passages of one library. Passage A names what
passage B is about.

Write a question that only somebody who finds A first, and is led from A to B, can answer.

1. Clues: up to three sentences that describe what A says, without a proper name, an exact date or a phrase that is
   copied whole. Use at least three telling words of A. Whoever knows only the clues must not find B by them.
2. The name: the exact words in A that name what B is about. Neither the clues nor the question may say them.
3. The truth: a short span of B, copied letter for letter, which answers the question. It must not stand in A, in the
   clues or in the question.
4. One quote of A and one quote of B, copied letter for letter, on which the question rests.

Answer with these tags and nothing else:
<clues>...</clues>
<question>...</question>
<name>...</name>
<truth>...</truth>
<quote_a>...</quote_a>
<quote_b>...</quote_b>

PASSAGE A: {first_title}
{first}

PASSAGE B: {second_title}
{second}
{told}"""

CHAIN = """\
You write questions for people who train to search. A question exists already; make it one step longer. Passage A is
where the old question ends. Passage A names what passage B is about.

The old question: {question}
Its answer, which the new question must not say: {truth}

1. The name: the exact words in A that name what B is about. The question must not say them.
2. The truth: a short span of B, copied letter for letter, which answers the new question. It must not stand in A.
3. The new question begins as the old one does, goes on through its answer without saying it, and asks for the truth.
4. One quote of B, copied letter for letter.

Answer with these tags and nothing else:
<question>...</question>
<name>...</name>
<truth>...</truth>
<quote_b>...</quote_b>

PASSAGE A: {first_title}
{first}

PASSAGE B: {second_title}
{second}
{told}"""

SUITS = """\
Question: {question}
Passage: {passage}

Does the passage state the answer to the question, or a fact that leads to it? Answer <holds>yes</holds> or
<holds>no</holds> and nothing else."""

TOLD = "\nYour last try was refused: {reason}. Mend that.\n"
"""Added to a prompt that is asked again."""

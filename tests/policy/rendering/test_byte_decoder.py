"""The table's text is the tokenizer's."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer

from trivium.policy.rendering.byte_decoder import ByteDecoder

from .tokenizer import tokenizer

FULL = Tokenizer.from_str(tokenizer().to_str())
FULL.add_tokens([AddedToken(text, normalized=False) for text in ("é", " two words ", "日本", "a\u0120b")])
LETTERS = ByteDecoder(FULL)
SIZE = FULL.get_vocab_size(with_added_tokens=True)
cut_letters = st.text(max_size=4).map(lambda text: FULL.encode(text, add_special_tokens=False).ids[1:])
anything = st.lists(st.integers(0, SIZE + 3), max_size=8)


@settings(max_examples=1000, deadline=None)
@given(tokens=st.lists(cut_letters | anything, max_size=6).map(lambda runs: [at for run in runs for at in run]))
@example(tokens=list(range(SIZE)))
def test_the_text_is_that_of_the_tokenizer(tokens):
    assert LETTERS.decode(tokens) == FULL.decode(tokens, skip_special_tokens=False)

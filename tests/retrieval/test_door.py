import subprocess
import sys

import trivium.retrieval as door


def test_every_public_name_exists_and_the_list_is_sorted():
    assert list(door.__all__) == sorted(door.__all__)
    assert all(hasattr(door, name) for name in door.__all__)


def test_the_room_imports_no_torch():
    code = "import sys, trivium.retrieval; assert not {'torch', 'transformers', 'model2vec'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)

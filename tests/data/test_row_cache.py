import numpy as np

from lukewarm.data import RowCache


def test_a_table_is_known_by_identity_and_not_by_its_values():
    table = np.ones(3)
    cache = RowCache()
    cache.keep("kept", table)
    assert cache.recall(table) == "kept"
    assert cache.recall(table.copy()) is None


def test_the_oldest_of_more_than_size_tables_is_dropped():
    tables = [np.ones(1) for _ in range(3)]
    cache = RowCache(2)
    for number, table in enumerate(tables):
        cache.keep(number, table)
    assert [cache.recall(table) for table in tables] == [None, 1, 2]


def test_a_new_value_takes_the_place_of_the_old_one_and_of_no_other():
    first, second = np.ones(1), np.ones(1)
    cache = RowCache(2)
    cache.keep("a", first)
    cache.keep("b", second)
    cache.keep("c", first)
    assert (cache.recall(first), cache.recall(second)) == ("c", "b")


def test_all_objects_of_a_key_must_be_the_same():
    X, y = np.ones(1), np.ones(1)
    cache = RowCache()
    cache.keep("kept", X, None)
    assert cache.recall(X, None) == "kept"
    assert cache.recall(X, y) is None
    cache.forget()
    assert cache.recall(X, None) is None

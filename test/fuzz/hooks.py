import re

import schemathesis

LIST_FOR_NULL = re.compile(r"parameter `(\w+)` in query - violates `type` .* \| null, became array")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """
    A header that nobody knows is passed over, as proxies add some, and those that the configuration fixes are never what
    was made up: that they are accepted is no failure. Nor is a list of nothing where null may be, which is written as that is.
    """
    is_unknown = any(name.lower().startswith("x-schemathesis-unknown") for name in case.headers or {})
    is_fixed = "`X-Linernotes-" in failure.message
    lists = LIST_FOR_NULL.findall(failure.message)
    is_null = len(lists) > 0 and all((case.query or {}).get(name) in ("", [], [""]) for name in lists)
    return not ((is_unknown or is_fixed or is_null) and response.status_code < 300)

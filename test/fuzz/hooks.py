import re

import schemathesis

LIST_FOR_NULL = re.compile(r"parameter `(\w+)` in query - violates `type` .* \| null, became array")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """
    Drops three kinds of accepted requests that Schemathesis takes for failures: with an unknown header or
    query parameter, which the service ignores; with a made-up value of a header that the configuration overrides; and
    with an empty list where null is allowed, since both look the same in a query.
    """
    is_unknown = any(name.lower().startswith("x-schemathesis-unknown") for name in [*(case.headers or {}), *(case.query or {})])
    is_fixed = "`X-Linernotes-" in failure.message
    lists = LIST_FOR_NULL.findall(failure.message)
    is_null = len(lists) > 0 and all((case.query or {}).get(name) in ("", [], [""]) for name in lists)
    return not ((is_unknown or is_fixed or is_null) and response.status_code < 300)

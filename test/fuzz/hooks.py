import schemathesis


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """
    A header that nobody knows is passed over, as proxies add some, and those that the configuration fixes are never what
    was made up: that they are accepted is no failure.
    """
    is_unknown = any(name.lower().startswith("x-schemathesis-unknown") for name in case.headers or {})
    is_fixed = "`X-Linernotes-" in failure.message
    return not ((is_unknown or is_fixed) and response.status_code < 300)

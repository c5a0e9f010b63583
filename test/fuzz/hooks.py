import schemathesis


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """A header that nobody knows is passed over, as proxies add some: that it is accepted is no failure."""
    is_unknown = any(name.lower().startswith("x-schemathesis-unknown") for name in case.headers or {})
    return not (is_unknown and response.status_code < 300)

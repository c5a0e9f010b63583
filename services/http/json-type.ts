/** The media type of every JSON response. */
export const JSON_TYPE = 'application/json; charset=utf-8';

"""One page that tells what happened: a run, a sweep or a comparison, as a single file of HTML.

The file asks nothing of anybody: no script, no request, one style sheet whose hash its content
security policy names. This room reads run folders and what scenarios/ works out from them; it may
import anything below cli and computes no science of its own.
"""

"""One call with urllib3's PoolManager and no settings: METHOD URL HEADERS BODY."""
import json
import sys

import urllib3

method, url, headers, body = sys.argv[1:]
response = urllib3.PoolManager().request(method, url, headers=json.loads(headers), body=body or None)
print(response.status)

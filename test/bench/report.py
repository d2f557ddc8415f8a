def write(data, doc): return []

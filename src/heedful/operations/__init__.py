"""Operations: the decorator that exposes a method, the policy of who may call it, and the current caller."""

"""Operations: what users can do. The decorator that offers a method, who may call it, and who is calling."""

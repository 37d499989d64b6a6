"""What flows through the loop: small frozen records and the pure rules about them."""

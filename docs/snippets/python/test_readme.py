import stripe


def test_a_declined_card_is_told_apart(troth):
    client = stripe.StripeClient("sk_test_1", base_addresses={"api": troth("stripe").url})
    try:
        client.v1.charges.create({"amount": 1200, "currency": "eur", "source": "tok_chargeDeclined"})
    except stripe.CardError as declined:
        assert declined.code == "card_declined"
    else:
        raise AssertionError("the charge went through")

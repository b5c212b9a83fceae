import pytest
import stripe


def test_a_declined_card_is_told_apart(troth):
    client = stripe.StripeClient("sk_test_1", base_addresses={"api": troth("stripe").url})
    with pytest.raises(stripe.CardError) as declined:
        client.v1.charges.create({"amount": 1200, "currency": "eur", "source": "tok_chargeDeclined"})
    assert declined.value.code == "card_declined"

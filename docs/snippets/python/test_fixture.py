import httpx


def test_a_charge_can_be_read_back(troth):
    acmepay = troth("acmepay")
    client = httpx.Client(base_url=acmepay.url, headers={"Authorization": "Bearer sk_test_1"})

    charge = client.post("/v1/charges", json={"amount": 1200, "currency": "eur", "source": "tok_visa"}).json()

    assert client.get(f"/v1/charges/{charge['id']}").json() == charge

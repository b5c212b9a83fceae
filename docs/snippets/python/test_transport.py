import httpx

from troth.simulators.transport import SimulatorTransport


def test_without_a_socket(troth):
    transport = SimulatorTransport(troth("acmepay"))
    client = httpx.Client(transport=transport, base_url="http://acmepay", headers={"Authorization": "Bearer sk_test_1"})

    assert client.get("/v1/charges/ch_unknown").status_code == 404

"""A backend in Python, over a client that openapi-python-client makes of the API description:

    pip install -r requirements.txt
    openapi-python-client generate --meta none --path ../../../../../docs/openapi/management.json --output-path vestibule
    python backend.py http://127.0.0.1:8081 http://127.0.0.1:8080

Both calls of the connector: it offers a credential, requests it, prints what the wallet needs as one line of JSON, waits
for the end of both, and prints their states as another.

It has no users. With users, a state says nothing about the browser that asked: see docs/whose-result.md.
"""

import json
import sys
import uuid

from vestibule import Client
from vestibule.api.issuance import create_credential_offer, get_credential_offer
from vestibule.api.verification import create_presentation_request, get_presentation_request
from vestibule.models import (
    ClaimsQuery,
    CredentialOffer,
    CredentialOfferClaims,
    CredentialQuery,
    CredentialQueryFormat,
    CredentialQueryMeta,
    DcqlQuery,
    PresentationRequest,
    Problem,
)


def accepted(answer):
    """The answer, unless it is an error: a program compares its code."""
    if isinstance(answer, Problem):
        raise RuntimeError(f"{answer.code}: {answer.detail}")
    return answer


def until_ended(read, open_status):
    """Asks until the status is another one; each question waits for up to 30 seconds."""
    while (view := accepted(read(wait=30))).status == open_status:
        pass
    return view.status


def main(management_url: str, issuer_url: str) -> None:
    client = Client(base_url=management_url, raise_on_unexpected_status=True, timeout=60)
    offer = create_credential_offer.sync(
        client=client,
        idempotency_key=str(uuid.uuid4()),
        body=CredentialOffer(
            credential_configuration_id="identity-card",
            claims=CredentialOfferClaims.from_dict(
                {"given_name": "Ada", "family_name": "Example", "birthdate": "1990-01-31"}
            ),
        ),
    )
    request = create_presentation_request.sync(
        client=client,
        idempotency_key=str(uuid.uuid4()),
        body=PresentationRequest(
            dcql_query=DcqlQuery(
                credentials=[
                    CredentialQuery(
                        id="card",
                        format_=CredentialQueryFormat.DCSD_JWT,
                        meta=CredentialQueryMeta(vct_values=[f"{issuer_url}/oidc4vci/types/identity-card"]),
                        claims=[ClaimsQuery(path=["family_name"])],
                    )
                ]
            )
        ),
    )
    offer, request = accepted(offer), accepted(request)
    wallet = {"offer": offer.credential_offer_uri, "request": request.cross_device_request_uri}
    print(json.dumps({**wallet, "state": request.state}), flush=True)

    def read_offer(wait):
        return get_credential_offer.sync(offer.offer_id, client=client, wait=wait)

    def read_request(wait):
        return get_presentation_request.sync(request.state, client=client, wait=wait)

    ended = {"offer": until_ended(read_offer, "OFFER_CREATED"), "request": until_ended(read_request, "PENDING")}
    print(json.dumps(ended), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])

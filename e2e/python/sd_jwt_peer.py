"""Issues, presents and verifies SD-JWTs with the library sd-jwt: one JSON object a line in, one a line out."""

import json
import sys
from base64 import b64decode

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_der_x509_certificate
from jwcrypto.jwk import JWK
from sd_jwt.common import SDObj
from sd_jwt.holder import SDJWTHolder
from sd_jwt.issuer import SDJWTIssuer
from sd_jwt.verifier import SDJWTVerifier


class Issuer(SDJWTIssuer):
    """The library writes another typ unless it is told the one of SD-JWT VC."""

    SD_JWT_HEADER = "dc+sd-jwt"


def key_of(jwk):
    return JWK.from_json(json.dumps(jwk))


def issue(order):
    claims = {
        SDObj(name) if name in order["disclosable"] else name: value
        for name, value in order["claims"].items()
    }
    issuer = Issuer(
        claims,
        key_of(order["key"]),
        key_of(order["holder"]),
        extra_header_parameters=order["header"],
        add_decoy_claims=True,
    )
    return {"sdJwt": issuer.sd_jwt_issuance}


def present(order):
    holder = SDJWTHolder(order["sdJwt"])
    holder.create_presentation(order["disclose"], order["nonce"], order["aud"], key_of(order["holder"]))
    return {"presentation": holder.sd_jwt_presentation}


def judge(order):
    def issuer_key(_issuer, header):
        certificate = load_der_x509_certificate(b64decode(header["x5c"][0]))
        pem = certificate.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return JWK.from_pem(pem)

    verifier = SDJWTVerifier(order["sdJwt"], issuer_key, order.get("aud"), order.get("nonce"))
    return {"claims": verifier.get_verified_payload()}


ORDERS = {"issue": issue, "present": present, "judge": judge}

for line in sys.stdin:
    order = json.loads(line)
    try:
        answer = ORDERS[order["do"]](order)
    except Exception as error:
        answer = {"error": type(error).__name__}
    print(json.dumps(answer), flush=True)

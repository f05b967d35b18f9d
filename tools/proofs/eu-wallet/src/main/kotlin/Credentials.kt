import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.crypto.ECDSAVerifier
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.X509CertChainUtils
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.sdjwt.NimbusSdJwtOps
import eu.europa.ec.eudi.sdjwt.SdJwt
import eu.europa.ec.eudi.sdjwt.vc.*
import eu.europa.ec.eudi.sdjwt.vc.Status as VcStatus
import eu.europa.ec.eudi.statium.GetStatus
import eu.europa.ec.eudi.statium.GetStatusListToken
import eu.europa.ec.eudi.statium.Status
import eu.europa.ec.eudi.statium.StatusIndex
import eu.europa.ec.eudi.statium.StatusReference
import eu.europa.ec.eudi.statium.VerifyStatusListTokenJwtSignature
import io.ktor.client.HttpClient
import kotlin.time.Clock

/** What the wallet asks of the credentials that it gets: issuer, type and status. */
class Credentials(private val http: HttpClient, private val anchors: Anchors) {
    private val verifyList = VerifyStatusListTokenJwtSignature { token, _ ->
        runCatching {
            val jwt = SignedJWT.parse(token)
            val chain = X509CertChainUtils.parse(jwt.header.x509CertChain)
            check(anchors.trust(chain)) { "the signer of the status list is not trusted" }
            check(jwt.verify(ECDSAVerifier(ECKey.parse(chain.first())))) { "the signature of the status list is wrong" }
        }
    }
    private val getStatus = GetStatus(GetStatusListToken.usingJwt(Clock.System, http, verifyList))

    /** As statium names it. */
    suspend fun statusAt(uri: String, index: Int): Status =
        with(getStatus) { StatusReference(StatusIndex(index), uri).currentStatus().getOrThrow() }

    private val verifier = NimbusSdJwtOps.SdJwtVcVerifier(
        IssuerVerificationMethod.usingX5c { chain, _ -> anchors.trust(chain) },
        TypeMetadataPolicy.AlwaysRequired(ResolveTypeMetadata(LookupTypeMetadataUsingKtor(http))),
        { uri, index ->
            when (val status = statusAt(uri, index.toInt())) {
                Status.Valid -> VcStatus.Valid
                else -> error("the status is $status")
            }
        },
    )

    /** Signature by the chain of the issuer, Type Metadata with their hash, and status. */
    suspend fun verify(credential: String): SdJwt<SignedJWT> = verifier.verify(credential).getOrThrow()
}

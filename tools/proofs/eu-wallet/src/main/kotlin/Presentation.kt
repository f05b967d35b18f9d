import com.nimbusds.jose.EncryptionMethod
import com.nimbusds.jose.JWEAlgorithm
import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.util.Base64URL
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.openid4vp.*
import eu.europa.ec.eudi.openid4vp.dcql.ClaimsQuery
import eu.europa.ec.eudi.openid4vp.dcql.CredentialQuery
import eu.europa.ec.eudi.openid4vp.dcql.QueryId
import eu.europa.ec.eudi.openid4vp.dcql.metaSdJwtVc
import eu.europa.ec.eudi.sdjwt.NimbusSdJwtOps
import eu.europa.ec.eudi.sdjwt.SdJwt
import eu.europa.ec.eudi.sdjwt.vc.ClaimPath
import io.ktor.client.HttpClient
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import java.security.MessageDigest
import java.time.Clock
import java.time.Duration
import java.util.Date
import eu.europa.ec.eudi.openid4vp.dcql.ClaimPath as QueryPath

/** How the wallet answers a request. */
data class Answering(
    val uri: String,
    /** The queries to answer; null: all for which it has a credential. */
    val queries: List<String>?,
    val declines: Boolean,
    /** `get`, `post` or `encrypted`: a POST that asks for an encrypted request object. */
    val fetches: String,
    val method: EncryptionMethod,
    val transactionTypes: List<String>,
    val requiresRegistration: Boolean,
    val clockOffset: Duration,
)

/** What the verifier said, and what the request was. */
class Answered(val outcome: DispatchOutcome, val request: ResolvedRequestObject?, val refused: AuthorizationRequestError?)

/** The wallet of the EU reference libraries, as a verifier meets it. */
class Presentation(private val http: HttpClient, private val anchors: Anchors, private val registrar: Registrar) {
    private fun requestMethods(fetches: String): SupportedRequestUriMethods = when (fetches) {
        "get" -> SupportedRequestUriMethods.Get
        "post" -> SupportedRequestUriMethods.Both(SupportedRequestUriMethods.Post())
        else -> SupportedRequestUriMethods.Both(
            SupportedRequestUriMethods.Post(
                jarEncryption = EncryptionRequirement.Required(
                    listOf(JWEAlgorithm.ECDH_ES),
                    listOf(EncryptionMethod.A128GCM, EncryptionMethod.A256GCM),
                    Curve.P_256,
                ),
            ),
        )
    }

    private fun registers(certificate: JsonObject, query: CredentialQuery): Boolean {
        val asked = query.claims.orEmpty().map { pathOf(it) }
        return query.metaSdJwtVc!!.vctValues.all { vct ->
            val entry = certificate.entry("credentials", vct)
            val claims = entry?.get("claim")?.jsonArray?.map { it.jsonObject.getValue("path") }
            entry != null && (claims == null || claims.map { Json.decodeFromJsonElement(ClaimPath.serializer(), it) }.containsAll(asked))
        }
    }

    /** A verifier may ask for what it is registered to ask for. */
    private val registration = RegistrationCertificatePolicy({ registrar.trust(it) }) { _, certificate, query ->
        if (query.credentials.value.all { registers(certificate, it) }) RegistrationCertificatePolicy.Authorization.Granted()
        else RegistrationCertificatePolicy.Authorization.NotGranted(RegistrationCertificatePolicy.PolicyViolation("not registered"))
    }

    private fun configurationOf(wallet: Answering) = OpenId4VPConfig(
        signedRequestConfiguration = SignedRequestConfiguration.Default.copy(
            supportedRequestUriMethods = requestMethods(wallet.fetches),
        ),
        responseEncryptionConfiguration =
            ResponseEncryptionConfiguration.Supported(listOf(JWEAlgorithm.ECDH_ES), listOf(wallet.method)),
        vpFormatsSupported = VpFormatsSupported(VpFormatsSupported.SdJwtVc.HAIP),
        supportedTransactionDataTypes = wallet.transactionTypes.map {
            SupportedTransactionDataType.SdJwtVc(TransactionDataType(it), setOf(HashAlgorithm.SHA_256))
        },
        clock = Clock.offset(Clock.systemUTC(), wallet.clockOffset),
        supportedClientIdPrefixes = listOf(SupportedClientIdPrefix.X509Hash { anchors.trust(it) }),
        registrationCertificatePolicy = if (wallet.requiresRegistration) registration else null,
    )

    /** Answers a request with credentials that were verified before. */
    suspend fun answer(wallet: Answering, credentials: List<Pair<SdJwt<SignedJWT>, Held>>): Answered {
        val verifier = OpenId4Vp.overRedirects(configurationOf(wallet), http)
        val parameters = EncryptionParameters.DiffieHellman(Base64URL.encode("wallet"))
        return when (val resolution = verifier.resolveRequestUri(wallet.uri)) {
            is Resolution.Invalid -> {
                val details = resolution.dispatchDetails ?: throw resolution.error.asException()
                Answered(verifier.dispatchError(resolution.error, details, parameters), null, resolution.error)
            }
            is Resolution.Success -> {
                val request = resolution.requestObject
                val consensus =
                    if (wallet.declines) Consensus.NegativeConsensus else consent(wallet, request, credentials)
                Answered(verifier.dispatch(request, consensus, parameters), request, null)
            }
        }
    }

    private suspend fun consent(
        wallet: Answering,
        request: ResolvedRequestObject,
        credentials: List<Pair<SdJwt<SignedJWT>, Held>>,
    ): Consensus {
        val found = mutableMapOf<QueryId, List<VerifiablePresentation>>()
        for (query in request.query.credentials.value) {
            if (wallet.queries?.contains(query.id.value) == false) continue
            val suitable = credentials.filter { (credential) ->
                credential.jwt.jwtClaimsSet.getStringClaim("vct") in query.metaSdJwtVc!!.vctValues
            }
            val chosen = if (query.multipleOrDefault) suitable else suitable.take(1)
            if (chosen.isNotEmpty()) found[query.id] = chosen.map { (credential, held) -> present(request, query, credential, held) }
        }
        return Consensus.PositiveConsensus(VerifiablePresentations(found))
    }

    private fun pathsOf(query: CredentialQuery): Set<ClaimPath> {
        val claims = query.claims.orEmpty()
        val chosen = query.claimSets?.first()?.value?.map { id -> claims.first { it.id == id } } ?: claims
        return chosen.map { pathOf(it) }.toSet()
    }

    private fun pathOf(claim: ClaimsQuery): ClaimPath =
        Json.decodeFromJsonElement(ClaimPath.serializer(), Json.encodeToJsonElement(QueryPath.serializer(), claim.path))

    private suspend fun present(
        request: ResolvedRequestObject,
        query: CredentialQuery,
        credential: SdJwt<SignedJWT>,
        held: Held,
    ): VerifiablePresentation = with(NimbusSdJwtOps) {
        val paths = pathsOf(query)
        val shown = if (paths.isEmpty()) SdJwt(credential.jwt, emptyList()) else checkNotNull(credential.present(paths)) { "the claims are missing" }
        if (!query.requireCryptographicHolderBindingOrDefault) return VerifiablePresentation.Generic(shown.serialize())
        val key = checkNotNull(held.key) { "the credential has no key" }
        val hashes = request.transactionData.orEmpty().filter { query.id in it.credentialIds }.map { data ->
            Base64URL.encode(MessageDigest.getInstance("SHA-256").digest(data.value.encodeToByteArray())).toString()
        }
        val algorithm = if (key.curve == Curve.P_384) JWSAlgorithm.ES384 else JWSAlgorithm.ES256
        val build = kbJwtIssuer(ECDSASigner(key), algorithm, key.toPublicJWK()) {
            audience(request.client.id.clientId)
            claim("nonce", request.nonce)
            issueTime(Date())
            if (hashes.isNotEmpty()) claim("transaction_data_hashes", hashes).claim("transaction_data_hashes_alg", "sha-256")
        }
        VerifiablePresentation.Generic(shown.serializeWithKeyBinding(build).getOrThrow())
    }
}

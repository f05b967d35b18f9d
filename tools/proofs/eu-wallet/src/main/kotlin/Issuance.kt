import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.jwk.JWK
import com.nimbusds.jose.jwk.gen.ECKeyGenerator
import com.nimbusds.jwt.JWTClaimsSet
import eu.europa.ec.eudi.openid4vci.*
import io.ktor.client.HttpClient
import java.net.URI
import java.security.Signature
import java.time.Clock
import java.time.Duration
import java.time.Instant
import java.util.Date

const val CLIENT_ID = "https://wallet.example"

/** How the wallet redeems an offer. */
data class Redemption(
    val uri: String,
    val txCode: String?,
    /** `jwt`, `attestation` or `none`. */
    val proof: String,
    val keys: Int,
    val curve: Curve,
    val attestsWallet: Boolean,
    val encrypts: Boolean,
    val requiresSigned: Boolean,
    val requiresPolicy: Boolean,
    val requiresRegistration: Boolean,
    val usesDetails: Boolean,
    val clockOffset: Duration,
)

/** A credential with the key that it is bound to. */
class Held(val credential: String, val key: ECKey?)

/** A redeemed offer, which may have more to come. */
class Session(val issuer: Issuer, var authorized: AuthorizedRequest, val keys: List<ECKey>) {
    var notificationId: NotificationId? = null
    var deferred: TransactionId? = null
}

private class KeySigner<P>(private val key: ECKey, private val material: P) : Signer<P> {
    override val javaAlgorithm = if (key.curve == Curve.P_384) "SHA384withECDSA" else "SHA256withECDSA"
    override suspend fun acquire() = SignOperation(
        { input ->
            Signature.getInstance(javaAlgorithm).run {
                initSign(key.toECPrivateKey())
                update(input)
                sign()
            }
        },
        material,
    )

    override suspend fun release(signOperation: SignOperation<P>?) = Unit
}

private fun createKey(curve: Curve = Curve.P_256): ECKey = ECKeyGenerator(curve).generate()

private fun publicSigner(key: ECKey): Signer<JWK> = KeySigner(key, key.toPublicJWK())

/** The wallet of the EU reference libraries, as an issuer meets it. */
class Issuance(
    private val http: HttpClient,
    private val anchors: Anchors,
    private val provider: Provider,
    private val registrar: Registrar,
    private val statusUri: String,
) {
    private fun statusIn(index: Int) = mapOf("status_list" to mapOf("idx" to index, "uri" to statusUri))

    private fun maintained(index: Int) =
        mapOf("status" to statusIn(index), "exp" to Instant.now().plus(Duration.ofDays(90)).epochSecond)

    private fun times() = JWTClaimsSet.Builder()
        .issueTime(Date.from(Instant.now()))
        .expirationTime(Date.from(Instant.now().plusSeconds(3_600)))

    private fun attestWallet(instance: ECKey): ClientAttestationJWT {
        val claims = times()
            .issuer("https://provider.example").subject(CLIENT_ID)
            .claim("cnf", mapOf("jwk" to instance.toPublicJWK().toJSONObject()))
            .claim("wallet_name", "EU wallet").claim("wallet_version", "1")
            .claim("wallet_solution_certification_information", "https://provider.example/certification")
            .claim("status", statusIn(0)).claim("client_status", maintained(1))
        return ClientAttestationJWT(provider.sign("oauth-client-attestation+jwt", claims.build()).serialize())
    }

    private fun attestKeys(keys: List<ECKey>, nonce: Nonce?): KeyAttestationJWT {
        val claims = times()
            .claim("attested_keys", keys.map { it.toPublicJWK().toJSONObject() })
            .claim("key_storage", listOf("iso_18045_high")).claim("user_authentication", listOf("iso_18045_high"))
            .claim("certification", "https://provider.example/certification")
            .claim("key_storage_status", maintained(2))
        nonce?.let { claims.claim("nonce", it.value) }
        return KeyAttestationJWT(provider.sign("key-attestation+jwt", claims.build()))
    }

    private fun clientOf(wallet: Redemption): ClientAuthentication {
        if (!wallet.attestsWallet) return ClientAuthentication.None(CLIENT_ID)
        val instance = createKey(wallet.curve)
        val algorithm = if (wallet.curve == Curve.P_384) "ES384" else "ES256"
        return ClientAuthentication.AttestationBased(
            CLIENT_ID,
            object : ProvisionClientAttestation {
                override val algorithm = JwsAlgorithm("ES256")
                override val popAlgorithm = JwsAlgorithm(algorithm)
                override suspend fun invoke(authorizationServer: HttpsUrl, preferredClientStatusPeriod: PositiveDuration?) =
                    ProvisionClientAttestation.Provisioned(attestWallet(instance), publicSigner(instance))
            },
        )
    }

    /** An issuer may offer what it is registered to provide. */
    private val registration = RegistrationCertificatePolicy { _, certificate, offered ->
        val registered = registrar.read(certificate)
        val missing = offered.map { (it as SdJwtVcCredential).type }.find { registered.entry("provides_attestations", it) == null }
        if (missing == null) RegistrationCertificatePolicy.Authorization.Granted()
        else RegistrationCertificatePolicy.Authorization.NotGranted(RegistrationCertificatePolicy.PolicyViolation(missing))
    }

    private fun configurationOf(wallet: Redemption): OpenId4VCIConfig {
        val dpopKey = createKey()
        val trust = CertificateChainTrust { anchors.trust(it) }
        val policies = setOf(EudiReusePolicyType.OnceOnly, EudiReusePolicyType.LimitedTime)
        return OpenId4VCIConfig(
            clientAuthentication = clientOf(wallet),
            authFlowRedirectionURI = URI("eudi-openid4ci://authorize"),
            encryptionSupportConfig = EncryptionSupportConfig(
                credentialResponseEncryptionPolicy =
                    if (wallet.encrypts) CredentialResponseEncryptionPolicy.REQUIRED else CredentialResponseEncryptionPolicy.SUPPORTED,
                ecConfig = if (wallet.encrypts) EcConfig(Curve.P_256) else null,
                rsaConfig = null,
            ),
            authorizeIssuanceConfig =
                if (wallet.usesDetails) AuthorizeIssuanceConfig.AUTHORIZATION_DETAILS else AuthorizeIssuanceConfig.FAVOR_SCOPES,
            dPoPUsage = DPoPUsage.Required(
                DPoPConfig(
                    object : ProvisionDPoPSigner {
                        override val popAlgorithm = JwsAlgorithm("ES256")
                        override suspend fun invoke(authorizationServer: HttpsUrl) = publicSigner(dpopKey)
                    },
                ),
            ),
            clock = Clock.offset(Clock.systemUTC(), wallet.clockOffset),
            issuerMetadataPolicy =
                if (wallet.requiresSigned) IssuerMetadataPolicy.RequireSigned(trust) else IssuerMetadataPolicy.PreferSigned(trust),
            supportedCredentialReusePolicies =
                if (wallet.requiresPolicy) CredentialReusePolicies.Required(policies) else CredentialReusePolicies.Supported(policies),
            registrationCertificatePolicy = if (wallet.requiresRegistration) registration else null,
        )
    }

    private fun proofOf(wallet: Redemption, keys: List<ECKey>): ProofSpecification = when (wallet.proof) {
        "jwt" -> ProofSpecification.JwtProof { nonce, _ -> KeySigner(keys.first(), attestKeys(keys, nonce)) }
        "attestation" -> ProofSpecification.AttestationProof { nonce, _ -> attestKeys(keys, nonce) }
        else -> ProofSpecification.NoProof
    }

    /** As far as the token, which is for the first configuration of the offer. */
    suspend fun open(wallet: Redemption): Session {
        val config = configurationOf(wallet)
        val offer = CredentialOffer.resolve(httpClient = http, config = config, uri = wallet.uri).getOrThrow()
        val (issuer) = Issuer.make(config, offer, http).getOrThrow()
        val authorized = issuer.authorizeWithPreAuthorizationCode(wallet.txCode).getOrThrow()
        return Session(issuer, authorized, List(wallet.keys) { createKey(wallet.curve) })
    }

    /** The credentials; none if they are still to come. */
    suspend fun request(session: Session, wallet: Redemption): List<Held> = with(session.issuer) {
        val id = credentialOffer.credentialConfigurationIdentifiers.first()
        val identifiers = session.authorized.credentialIdentifiers.orEmpty()[id].orEmpty()
        val payload = identifiers.firstOrNull()?.let { IssuanceRequestPayload.IdentifierBased(id, it) }
            ?: IssuanceRequestPayload.ConfigurationBased(id)
        val (authorized, outcome) = session.authorized.request(payload, proofOf(wallet, session.keys)).getOrThrow()
        session.authorized = authorized
        when (outcome) {
            is SubmissionOutcome.Failed -> throw outcome.error
            is SubmissionOutcome.Deferred -> emptyList<Held>().also { session.deferred = outcome.transactionId }
            is SubmissionOutcome.Success -> {
                session.notificationId = outcome.notificationId
                held(session, outcome.credentials, wallet.proof)
            }
        }
    }

    /** The same for a deferred credential. */
    suspend fun collect(session: Session, wallet: Redemption): List<Held> = with(session.issuer) {
        val transaction = checkNotNull(session.deferred) { "nothing is deferred" }
        val (authorized, outcome) = session.authorized.queryForDeferredCredential(transaction).getOrThrow()
        session.authorized = authorized
        when (outcome) {
            is DeferredCredentialQueryOutcome.Errored -> error(outcome.error)
            is DeferredCredentialQueryOutcome.IssuancePending -> emptyList()
            is DeferredCredentialQueryOutcome.Issued -> {
                session.notificationId = outcome.notificationId
                held(session, outcome.credentials, wallet.proof)
            }
        }
    }

    suspend fun notify(session: Session, event: String) = with(session.issuer) {
        val id = checkNotNull(session.notificationId) { "no notification_id" }
        val told = when (event) {
            "credential_accepted" -> CredentialIssuanceEvent.Accepted(id, "stored")
            "credential_deleted" -> CredentialIssuanceEvent.Deleted(id, null)
            else -> CredentialIssuanceEvent.Failed(id, null)
        }
        session.authorized = session.authorized.notify(told).getOrThrow()
    }

    private fun held(session: Session, credentials: List<IssuedCredential>, proof: String): List<Held> =
        credentials.mapIndexed { index, issued ->
            Held((issued.credential as Credential.Str).value, if (proof == "none") null else session.keys[index])
        }
}

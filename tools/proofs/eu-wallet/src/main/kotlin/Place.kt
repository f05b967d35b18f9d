import com.nimbusds.jose.JWSAlgorithm
import com.nimbusds.jose.JWSHeader
import com.nimbusds.jose.JOSEObjectType
import com.nimbusds.jose.crypto.ECDSASigner
import com.nimbusds.jose.crypto.ECDSAVerifier
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.Base64
import com.nimbusds.jose.util.X509CertChainUtils
import com.nimbusds.jwt.JWTClaimsSet
import com.nimbusds.jwt.SignedJWT
import io.ktor.client.HttpClient
import io.ktor.client.engine.java.Java
import io.ktor.client.plugins.contentnegotiation.ContentNegotiation
import io.ktor.serialization.kotlinx.json.json
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.io.File
import java.security.KeyFactory
import java.security.KeyStore
import java.security.cert.CertPathValidator
import java.security.cert.CertificateFactory
import java.security.cert.PKIXParameters
import java.security.cert.TrustAnchor
import java.security.cert.X509Certificate
import java.security.interfaces.ECPrivateKey
import java.security.spec.PKCS8EncodedKeySpec
import javax.net.ssl.SSLContext
import javax.net.ssl.TrustManagerFactory

/** Certificates in PEM. */
fun readCertificates(file: File): List<X509Certificate> =
    file.inputStream().use { CertificateFactory.getInstance("X.509").generateCertificates(it) }.map { it as X509Certificate }

/** Whether a chain, as it comes in `x5c`, leads to one of the anchors. */
class Anchors(private val certificates: List<X509Certificate>) {
    fun trust(chain: List<X509Certificate>): Boolean = runCatching {
        val below = chain.filterNot { it in certificates }
        val path = CertificateFactory.getInstance("X.509").generateCertPath(below)
        val parameters = PKIXParameters(certificates.map { TrustAnchor(it, null) }.toSet())
        parameters.isRevocationEnabled = false
        CertPathValidator.getInstance("PKIX").validate(path, parameters)
    }.isSuccess
}

/** Reads registration certificates of registrars that the wallet trusts (ETSI TS 119 475). */
class Registrar(root: File) {
    private val anchors = Anchors(readCertificates(root))

    fun trust(chain: List<X509Certificate>): Boolean = anchors.trust(chain)

    /** Its claims, once the signature is verified. */
    fun read(certificate: String): JsonObject {
        val jwt = SignedJWT.parse(certificate)
        check(jwt.header.type == JOSEObjectType("rc-wrp+jwt")) { "it is no registration certificate" }
        val chain = X509CertChainUtils.parse(jwt.header.x509CertChain)
        check(trust(chain)) { "the registrar is not trusted" }
        check(jwt.verify(ECDSAVerifier(ECKey.parse(chain.first())))) { "the signature of the registrar is wrong" }
        return Json.parseToJsonElement(jwt.payload.toString()).jsonObject
    }
}

private fun types(registered: JsonObject): List<String> =
    registered.getValue("meta").jsonObject.getValue("vct_values").jsonArray.map { it.jsonPrimitive.content }

/** What a registration certificate has under this name for a type; null if nothing. */
fun JsonObject.entry(name: String, vct: String): JsonObject? =
    this[name]?.jsonArray.orEmpty().map { it.jsonObject }.find { vct in types(it) }

private fun readKey(file: File): ECPrivateKey {
    val body = file.readText().lines().filterNot { it.startsWith("-----") }.joinToString("")
    val bytes = java.util.Base64.getDecoder().decode(body)
    return KeyFactory.getInstance("EC").generatePrivate(PKCS8EncodedKeySpec(bytes)) as ECPrivateKey
}

/** Attests the wallet and its keys: a provider whose certificates the issuer trusts. */
class Provider(folder: File) {
    private val chain = readCertificates(File(folder, "wallet-provider.pem"))
    private val key = readKey(File(folder, "wallet-provider-key.pem"))

    fun sign(type: String, claims: JWTClaimsSet): SignedJWT {
        val header = JWSHeader.Builder(JWSAlgorithm.ES256)
            .type(JOSEObjectType(type))
            .x509CertChain(chain.map { Base64.encode(it.encoded) })
            .build()
        return SignedJWT(header, claims).apply { sign(ECDSASigner(key)) }
    }
}

/** Calls servers with certificates below this root, and reads JSON as the reference wallet does. */
fun createHttpClient(root: File): HttpClient {
    val store = KeyStore.getInstance(KeyStore.getDefaultType()).apply { load(null) }
    readCertificates(root).forEachIndexed { index, certificate -> store.setCertificateEntry("root-$index", certificate) }
    val managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm()).apply { init(store) }
    val context = SSLContext.getInstance("TLS").apply { init(null, managers.trustManagers, null) }
    return HttpClient(Java) {
        engine { config { sslContext(context) } }
        install(ContentNegotiation) { json(Json { ignoreUnknownKeys = true }) }
    }
}

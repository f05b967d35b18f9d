import com.nimbusds.jose.EncryptionMethod
import com.nimbusds.jose.jwk.Curve
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.openid4vp.DispatchOutcome
import eu.europa.ec.eudi.sdjwt.SdJwt
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import java.io.File
import java.time.Duration

private fun JsonObject.text(name: String): String? = this[name]?.jsonPrimitive?.content
private fun JsonObject.flag(name: String, usual: Boolean = false): Boolean = this[name]?.jsonPrimitive?.boolean ?: usual
private fun JsonObject.number(name: String, usual: Int): Int = this[name]?.jsonPrimitive?.int ?: usual
private fun JsonObject.texts(name: String): List<String>? = this[name]?.jsonArray?.map { it.jsonPrimitive.content }
private fun JsonObject.offset(): Duration = Duration.ofSeconds(number("clockOffset", 0).toLong())

private fun redemptionOf(command: JsonObject) = Redemption(
    uri = command.text("uri")!!,
    txCode = command.text("txCode"),
    proof = command.text("proof") ?: "jwt",
    keys = command.number("keys", 1),
    curve = if (command.text("curve") == "P-384") Curve.P_384 else Curve.P_256,
    attestsWallet = command.flag("attestsWallet", true),
    encrypts = command.flag("encrypts", true),
    requiresSigned = command.flag("requiresSigned", true),
    requiresPolicy = command.flag("requiresPolicy"),
    requiresRegistration = command.flag("requiresRegistration"),
    usesDetails = command.flag("usesDetails", true),
    clockOffset = command.offset(),
)

private fun answeringOf(command: JsonObject) = Answering(
    uri = command.text("uri")!!,
    queries = command.texts("queries"),
    declines = command.flag("declines"),
    fetches = command.text("fetches") ?: "post",
    method = EncryptionMethod.parse(command.text("method") ?: "A128GCM"),
    transactionTypes = command.texts("transactionTypes").orEmpty(),
    requiresRegistration = command.flag("requiresRegistration"),
    clockOffset = command.offset(),
)

/** A wallet that does what it is told, one line of JSON at a time. */
class Wallet(place: JsonObject) {
    private val folder = File(place.text("folder")!!)
    private val anchors = Anchors(readCertificates(File(folder, "root.pem")))
    private val http = createHttpClient(File(place.text("tlsRoot")!!))
    private val registrar = Registrar(File(place.text("registrarRoot")!!))
    private val issuance = Issuance(http, anchors, Provider(folder), registrar, place.text("statusUri")!!)
    private val credentials = Credentials(http, anchors)
    private val presentation = Presentation(http, anchors, registrar)
    private val held = mutableMapOf<String, List<Pair<SdJwt<SignedJWT>, Held>>>()
    private var session: Session? = null
    private var redemption: Redemption? = null

    private suspend fun keep(name: String, got: List<Held>, result: JsonObjectBuilder) {
        // Nothing is kept that the libraries do not take.
        val verified = got.map { credentials.verify(it.credential) to it }
        held[name] = verified
        result.put("credentials", JsonArray(got.map { JsonPrimitive(it.credential) }))
        result.put("deferred", got.isEmpty())
    }

    private suspend fun redeem(command: JsonObject, result: JsonObjectBuilder) {
        val wallet = redemptionOf(command)
        val opened = issuance.open(wallet)
        session = opened
        redemption = wallet
        keep(command.text("name") ?: "card", issuance.request(opened, wallet), result)
    }

    private suspend fun present(command: JsonObject, result: JsonObjectBuilder) {
        val chosen = command.texts("from") ?: listOf("card")
        val answered = presentation.answer(answeringOf(command), chosen.flatMap { held[it].orEmpty() })
        val outcome = answered.outcome
        result.put("outcome", if (outcome is DispatchOutcome.VerifierResponse.Accepted) "accepted" else "rejected")
        answered.refused?.let { result.put("refused", it.toString()) }
        (outcome as? DispatchOutcome.VerifierResponse.Accepted)?.redirectURI?.let { result.put("redirectUri", it.toString()) }
    }

    private suspend fun status(command: JsonObject, result: JsonObjectBuilder) {
        val (credential) = held.getValue(command.text("name") ?: "card").first()
        val status = Json.parseToJsonElement(credential.jwt.payload.toString()).jsonObject.getValue("status")
        val list = status.jsonObject.getValue("status_list").jsonObject
        result.put("status", credentials.statusAt(list.text("uri")!!, list.number("idx", -1)).toString())
    }

    private suspend fun act(command: JsonObject, result: JsonObjectBuilder) {
        when (command.text("do")) {
            "redeem" -> redeem(command, result)
            "again" -> keep(command.text("name") ?: "card", issuance.request(session!!, redemption!!), result)
            "collect" -> keep(command.text("name") ?: "card", issuance.collect(session!!, redemption!!), result)
            "notify" -> issuance.notify(session!!, command.text("event") ?: "credential_accepted")
            "status" -> status(command, result)
            "present" -> present(command, result)
            else -> error("unknown command")
        }
    }

    suspend fun obey(command: JsonObject): JsonObject = buildJsonObject {
        runCatching { act(command, this) }.onFailure { failure ->
            put("error", generateSequence(failure) { it.cause }.take(4).joinToString(" < ") { "${it::class.simpleName}: ${it.message ?: it}" })
        }
    }
}

fun main(arguments: Array<String>) = runBlocking {
    val wallet = Wallet(Json.parseToJsonElement(arguments.first()).jsonObject)
    for (line in generateSequence(::readLine)) println(wallet.obey(Json.parseToJsonElement(line).jsonObject))
}

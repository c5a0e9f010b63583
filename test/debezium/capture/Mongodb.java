import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.OperationType;
import com.mongodb.client.model.changestream.UpdateDescription;
import io.debezium.config.Configuration;
import io.debezium.connector.mongodb.CollectionId;
import io.debezium.connector.mongodb.MongoDbConnectorConfig;
import io.debezium.connector.mongodb.MongoDbOffsetContext;
import io.debezium.connector.mongodb.MongoDbPartition;
import io.debezium.connector.mongodb.MongoDbSchema;
import io.debezium.connector.mongodb.MongoDbTaskContext;
import io.debezium.connector.mongodb.recordemitter.MongoDbChangeRecordEmitter;
import io.debezium.connector.mongodb.recordemitter.MongoDbSnapshotRecordEmitter;
import io.debezium.data.Envelope.Operation;
import io.debezium.pipeline.spi.ChangeRecordEmitter;
import io.debezium.pipeline.spi.OffsetContext;
import io.debezium.schema.DataCollectionSchema;
import io.debezium.schema.SchemaNameAdjuster;
import io.debezium.util.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.json.JsonConverter;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;

/**
 * Writes the records that Debezium's MongoDB connector makes of change stream documents and of documents of a snapshot,
 * one JSON object a line. No MongoDB runs: the documents are written here as a server sends them, and the connector's
 * own classes turn them into records.
 */
public final class Mongodb {
    private static final BsonDocument TOKEN = BsonDocument.parse("{_data: '8263'}");
    private static final JsonConverter KEYS = converter(true);
    private static final JsonConverter VALUES = converter(false);

    private static final MongoDbConnectorConfig CONFIG = new MongoDbConnectorConfig(Configuration.from(Map.of(
            "name", "producers",
            "topic.prefix", "producers",
            "connector.class", "io.debezium.connector.mongodb.MongoDbConnector",
            "mongodb.connection.string", "mongodb://localhost/?replicaSet=rs0",
            "capture.mode", "change_streams_update_full",
            "skipped.operations", "none")));
    private static final MongoDbSchema SCHEMA = new MongoDbSchema(
            CONFIG,
            new MongoDbTaskContext(CONFIG.getConfig()),
            CONFIG.getTopicNamingStrategy(MongoDbConnectorConfig.TOPIC_NAMING_STRATEGY),
            CONFIG.getSourceInfoStructMaker().schema(),
            SchemaNameAdjuster.NO_OP);
    private static final MongoDbOffsetContext OFFSET = MongoDbOffsetContext.empty(CONFIG);
    private static final MongoDbPartition PARTITION = new MongoDbPartition("producers");
    private static final Map<String, Integer> OFFSETS = new java.util.TreeMap<>();

    private static JsonConverter converter(boolean isKey) {
        JsonConverter converter = new JsonConverter();
        converter.configure(Map.of("schemas.enable", "false", "replace.null.with.default", "false"), isKey);
        return converter;
    }

    private static void snapshot(String collection, String document) throws InterruptedException {
        CollectionId id = new CollectionId("seen", collection);
        OFFSET.readEvent(id, Instant.ofEpochMilli(1_788_260_010_000L));
        emit(id, new MongoDbSnapshotRecordEmitter(PARTITION, OFFSET, Clock.SYSTEM, BsonDocument.parse(document), CONFIG));
    }

    /** A change of a collection at a second and its increment; null for what the server leaves out. */
    private static void change(String collection, OperationType type, int second, int increment, String id,
            String full, String updated) throws InterruptedException {
        CollectionId collectionId = new CollectionId("seen", collection);
        UpdateDescription description = updated == null
                ? null
                : new UpdateDescription(List.of(), BsonDocument.parse(updated), List.of(), null);
        ChangeStreamDocument<BsonDocument> event = new ChangeStreamDocument<>(
                type.getValue(), TOKEN, new BsonDocument("db", new org.bson.BsonString("seen"))
                        .append("coll", new org.bson.BsonString(collection)),
                null, full == null ? null : BsonDocument.parse(full), null,
                BsonDocument.parse("{_id: " + id + "}"), new BsonTimestamp(second, increment), description, null, null,
                new org.bson.BsonDateTime(second * 1000L + 7), null, null);
        OFFSET.changeStreamEvent(event);
        emit(collectionId, new MongoDbChangeRecordEmitter(PARTITION, OFFSET, Clock.SYSTEM, event, CONFIG));
    }

    private static void emit(CollectionId id, ChangeRecordEmitter<MongoDbPartition> emitter) throws InterruptedException {
        emitter.emitChangeRecords(SCHEMA.schemaFor(id), new ChangeRecordEmitter.Receiver<>() {
            @Override
            public void changeRecord(MongoDbPartition partition, DataCollectionSchema schema, Operation operation,
                    Object key, Struct value, OffsetContext offset, ConnectHeaders headers) {
                write(id, (Struct) key, value);
                if (operation == Operation.DELETE) write(id, (Struct) key, null);
            }
        });
    }

    private static void write(CollectionId id, Struct key, Struct value) {
        String topic = "producers." + id.dbName() + "." + id.name();
        int offset = OFFSETS.merge(topic, 1, Integer::sum) - 1;
        System.out.printf("{\"topic\":\"%s\",\"offset\":%d,\"key\":%s,\"value\":%s}%n", topic, offset,
                quoted(KEYS.fromConnectData(topic, key.schema(), key)),
                value == null ? "null" : quoted(VALUES.fromConnectData(topic, value.schema(), value)));
    }

    private static String quoted(byte[] json) {
        return com.fasterxml.jackson.databind.node.TextNode
                .valueOf(new String(json, java.nio.charset.StandardCharsets.UTF_8)).toString();
    }

    public static void main(String[] arguments) throws InterruptedException {
        String hex = "'" + "a1".repeat(32) + "'";
        String play = "{_id: 'p1', cluster_id: " + hex + ", station: 'one', country: null, title: '%s', "
                + "played_at: {$date: '2018-02-10T21:13:00.250Z'}, plays: {$numberLong: '9007199254740993'}}";
        int now = 1_788_260_020;
        OFFSET.preSnapshotStart(false);
        snapshot("radio_play_v1", play.formatted("one"));
        snapshot("radio_play_v1", "{_id: 'p2', cluster_id: {$binary: {base64: '" + "oaGh".repeat(10) + "oaE=', subType: '00'}}, "
                + "station: 'two', title: 'b', played_at: {$date: {$numberLong: '-1'}}}");
        snapshot("festival", "{_id: {$oid: '5f0000000000000000000001'}, name: 'One', slug: 'one', aliases: ['a', 'b'], "
                + "merged_slugs: [], country: null, at: {$timestamp: {t: 7, i: 1}}, price: {$numberDecimal: '1.50'}, "
                + "nan: {$numberDouble: 'NaN'}, whole: {$numberDouble: '3.0'}, id: {$uuid: '7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11'}, pattern: /a/i}");
        snapshot("dj_champion", "{_id: {cluster_id: " + hex + ", dj_cluster_id: " + hex + "}, dj_name: 'dj', plays: 3, "
                + "first_play_at: '2018-01-01', latest_play_at: '2018-02-01', lead_days: null}");
        OFFSET.preSnapshotCompletion();
        change("radio_play_v1", OperationType.INSERT, now, 1, "'p3'", play.replace("'p1'", "'p3'").formatted("three"), null);
        change("radio_play_v1", OperationType.UPDATE, now, 2, "'p1'", play.formatted("one!"), "{title: 'one!'}");
        // Within one transaction all changes have one time.
        change("radio_play_v1", OperationType.UPDATE, now + 1, 1, "'p1'", play.formatted("two"), "{title: 'two'}");
        change("radio_play_v1", OperationType.UPDATE, now + 1, 1, "'p1'", play.formatted("three"), "{title: 'three'}");
        change("radio_play_v1", OperationType.REPLACE, now + 1, 2, "'p3'", play.replace("'p1'", "'p3'").formatted("replaced"), null);
        // Without the setting of the guide, or for a document that is gone since.
        change("radio_play_v1", OperationType.UPDATE, now + 2, 1, "'p2'", null, "{title: 'unseen'}");
        change("radio_play_v1", OperationType.DELETE, now + 3, 1, "'p2'", null, null);
        change("festival", OperationType.DELETE, now + 3, 2, "{$oid: '5f0000000000000000000001'}", null, null);
        change("dj_champion", OperationType.DELETE, now + 3, 3, "{cluster_id: " + hex + ", dj_cluster_id: " + hex + "}", null, null);
    }
}

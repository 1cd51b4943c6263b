package com.fasterxml.jackson.datatype.jsr310;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.time.OffsetDateTime;

/** Moments, which Jackson itself leaves to a module that Debian has no package of. */
public class JavaTimeModule extends SimpleModule {
  public JavaTimeModule() {
    addDeserializer(
        OffsetDateTime.class,
        new StdDeserializer<OffsetDateTime>(OffsetDateTime.class) {
          @Override
          public OffsetDateTime deserialize(JsonParser parser, DeserializationContext context)
              throws IOException {
            return OffsetDateTime.parse(parser.getText());
          }
        });
    addSerializer(
        OffsetDateTime.class,
        new StdSerializer<OffsetDateTime>(OffsetDateTime.class) {
          @Override
          public void serialize(OffsetDateTime at, JsonGenerator to, SerializerProvider provider)
              throws IOException {
            to.writeString(at.toString());
          }
        });
  }
}

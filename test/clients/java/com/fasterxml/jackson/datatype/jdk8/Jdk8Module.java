package com.fasterxml.jackson.datatype.jdk8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.Optional;

/** Optional: an empty one is null. */
public class Jdk8Module extends SimpleModule {
  public Jdk8Module() {
    addDeserializer(Optional.class, new Reader(null));
    addSerializer(
        Optional.class,
        new StdSerializer<Optional>(Optional.class) {
          @Override
          public void serialize(Optional value, JsonGenerator to, SerializerProvider provider)
              throws IOException {
            provider.defaultSerializeValue(value.orElse(null), to);
          }
        });
  }

  private static final class Reader extends JsonDeserializer<Optional>
      implements ContextualDeserializer {
    private final JavaType within;

    Reader(JavaType within) {
      this.within = within;
    }

    @Override
    public JsonDeserializer<?> createContextual(
        DeserializationContext context, BeanProperty property) {
      return new Reader(context.getContextualType().containedType(0));
    }

    @Override
    public Optional deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return Optional.ofNullable(context.readValue(parser, within));
    }

    @Override
    public Optional getNullValue(DeserializationContext context) {
      return Optional.empty();
    }
  }
}

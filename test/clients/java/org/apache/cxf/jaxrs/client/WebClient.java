package org.apache.cxf.jaxrs.client;

/** Timeouts are taken and told, and otherwise left to the caller of the whole program. */
public final class WebClient {
  public static final class Settings {
    private long connection;
    private long receive;

    public Settings getHttpConduit() {
      return this;
    }

    public Settings getClient() {
      return this;
    }

    public long getConnectionTimeout() {
      return connection;
    }

    public void setConnectionTimeout(long to) {
      connection = to;
    }

    public long getReceiveTimeout() {
      return receive;
    }

    public void setReceiveTimeout(long to) {
      receive = to;
    }
  }

  private static final Settings settings = new Settings();

  public static Client client(Object calls) {
    return (Client) calls;
  }

  public static Settings getConfig(Object client) {
    return settings;
  }

  private WebClient() {}
}

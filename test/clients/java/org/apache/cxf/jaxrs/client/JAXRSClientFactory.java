package org.apache.cxf.jaxrs.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.ws.rs.client.ClientRequestFilter;
import javax.ws.rs.core.HttpHeaders;
import org.jboss.resteasy.client.jaxrs.ResteasyClient;
import org.jboss.resteasy.client.jaxrs.ResteasyClientBuilder;

/** Carries the calls of an annotated interface out by RESTEasy. */
public final class JAXRSClientFactory {
  private static final class Authorized implements Client {
    private Object header;

    @Override
    public Client authorization(Object to) {
      header = to;
      return this;
    }
  }

  public static <T> T create(String address, Class<T> type, List<?> providers) {
    Authorized client = new Authorized();
    ResteasyClient sender = new ResteasyClientBuilder().build();
    providers.forEach(sender::register);
    ClientRequestFilter authorize =
        request -> request.getHeaders().putSingle(HttpHeaders.AUTHORIZATION, client.header);
    sender.register(authorize);
    T calls = sender.target(address).proxy(type);
    Object both =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type, Client.class},
            (proxy, method, arguments) -> {
              Object to = method.getDeclaringClass() == Client.class ? client : calls;
              try {
                return method.invoke(to, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
    return type.cast(both);
  }

  private JAXRSClientFactory() {}
}

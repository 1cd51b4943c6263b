package org.apache.cxf.jaxrs.client;

/** What generated clients ask of CXF's, which Debian has no package of. */
public interface Client {
  Client authorization(Object header);
}

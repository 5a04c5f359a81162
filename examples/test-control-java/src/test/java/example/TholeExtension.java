package example;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives each test that has a parameter of the type Thole a fork of one server. A parameter with @WithClock gets one whose time stands still. */
public final class TholeExtension implements ParameterResolver, AfterEachCallback {
  private static final Namespace own = Namespace.create(TholeExtension.class);

  /** The server of the whole run. The store of the root closes it. */
  private record Shared(Thole server) implements AutoCloseable {
    @Override
    public void close() throws Exception {
      server.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Thole.class;
  }

  @Override
  public Thole resolveParameter(ParameterContext parameter, ExtensionContext test) {
    try {
      var shared = test.getRoot().getStore(own).getOrComputeIfAbsent("server", (key) -> {
        try {
          return new Shared(Thole.start());
        } catch (Exception error) {
          throw new IllegalStateException(error);
        }
      }, Shared.class);
      var fork = parameter.isAnnotated(WithClock.class) ? shared.server().forkWithClock() : shared.server().fork();
      test.getStore(own).put("fork", fork);
      return fork;
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void afterEach(ExtensionContext test) throws Exception {
    var fork = test.getStore(own).remove("fork", Thole.class);
    if (fork != null) fork.close();
  }
}

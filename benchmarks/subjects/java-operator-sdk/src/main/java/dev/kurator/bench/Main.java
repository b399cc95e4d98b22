package dev.kurator.bench;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import java.time.Duration;

/**
 * The Echo operator on the Java Operator SDK: one owned ConfigMap kept in step, and a status. With CACHE=1 it only
 * fills a cache of ConfigMaps, and says so.
 */
public class Main {
  private static final int CONCURRENCY = 16;

  public static void main(String[] args) throws InterruptedException {
    var namespace = System.getenv("NAMESPACE");
    if (System.getenv("CACHE") != null) {
      // It starts, and returns once all there is has been read.
      new KubernetesClientBuilder().build().configMaps().inNamespace(namespace).inform();
      System.out.println("synced");
      // Its threads don't keep a process alive.
      Thread.currentThread().join();
    }
    var operator =
        new Operator(
            settings ->
                settings
                    .withConcurrentReconciliationThreads(CONCURRENCY)
                    .withConcurrentWorkflowExecutorThreads(CONCURRENCY));
    operator.installShutdownHook(Duration.ofSeconds(5));
    operator.register(new EchoReconciler(), controller -> controller.settingNamespace(namespace));
    operator.start();
  }
}

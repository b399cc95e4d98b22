package com.example;

import io.javaoperatorsdk.operator.Operator;
import java.time.Duration;

public class Main {
  public static void main(String[] args) {
    var operator = new Operator();
    operator.installShutdownHook(Duration.ofSeconds(5));
    operator.register(new MyAppReconciler());
    operator.start();
  }
}

// The peer: checks as the kubelet does them. A goroutine with a timer for each, net/http on a new connection with
// keep-alives off, SO_LINGER of one second, at most 10 KiB of the body read.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const most = 10 << 10

var (
	kind      = os.Getenv("KIND")
	checks    = number("CHECKS")
	interval  = time.Duration(number("INTERVAL_MS")) * time.Millisecond
	timeout   = time.Duration(number("TIMEOUT_MS")) * time.Millisecond
	warm      = time.Duration(number("WARM_S")) * time.Second
	measure   = time.Duration(number("MEASURE_S")) * time.Second
	port      = number("PORT")
	hosts     = number("HOSTS")
	ports     = number("PORTS")
	measuring atomic.Bool
	results   atomic.Int64
	failed    atomic.Int64
	missed    atomic.Int64
	lock      sync.Mutex
	late      []float64
)

func main() {
	if os.Getenv("FLAT_OUT") != "" {
		runtime.GOMAXPROCS(1)
		for i := 0; i < checks; i++ {
			go flatOut(i)
		}
	} else {
		start := time.Now()
		for i := 0; i < checks; i++ {
			go every(i, start.Add(time.Duration(rand.Int63n(int64(interval)))))
		}
	}
	time.Sleep(warm)
	measuring.Store(true)
	fmt.Println("begin")
	time.Sleep(measure)
	measuring.Store(false)
	lock.Lock()
	sort.Float64s(late)
	report, _ := json.Marshal(map[string]any{
		"results": results.Load(), "failed": failed.Load(), "missed": missed.Load(), "p50": at(0.5), "p99": at(0.99),
	})
	fmt.Println("end", string(report))
	select {}
}

func every(i int, due time.Time) {
	for {
		time.Sleep(time.Until(due))
		lateness := time.Since(due)
		note(probe(i), lateness)
		due = due.Add(interval)
		for time.Since(due) > interval {
			due = due.Add(interval)
			missed.Add(1)
		}
	}
}

func flatOut(i int) {
	for ; ; i += checks {
		note(probe(i), 0)
	}
}

func probe(i int) bool {
	address := fmt.Sprintf("127.0.0.%d:%d", 1+i/ports%hosts, port+i%ports)
	if kind == "tcp" {
		connection, err := dialer().Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err == nil
	}
	return get(address) == nil
}

// One for all probes, a client for each run: as the kubelet has it.
var transport = &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: dialer().DialContext}

func get(address string) error {
	client := http.Client{Timeout: timeout, Transport: transport}
	response, err := client.Get("http://" + address + "/healthz")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(io.LimitReader(response.Body, most)); err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

func dialer() *net.Dialer {
	return &net.Dialer{Timeout: timeout, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			syscall.SetsockoptLinger(int(fd), syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1, Linger: 1})
		})
	}}
}

func note(ok bool, lateness time.Duration) {
	if !measuring.Load() {
		return
	}
	results.Add(1)
	if !ok {
		failed.Add(1)
	}
	lock.Lock()
	late = append(late, float64(lateness)/1e6)
	lock.Unlock()
}

func at(share float64) float64 {
	if len(late) == 0 {
		return 0
	}
	return late[int(float64(len(late)-1)*share)]
}

func number(name string) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return n
}

//go:build linux

// What is checked: listeners on many loopback addresses and ports that answer any request with 200 and close. One
// thread, one epoll: it shall take as little as it can of the machine that is measured.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

func main() {
	hosts, ports := number("HOSTS"), number("PORTS")
	poll := check(syscall.EpollCreate1(0))
	for first := 20000; first < 30000; first += 100 {
		listeners, ok := listenAll(first, hosts, ports)
		if !ok {
			continue
		}
		for fd := range listeners {
			watch(poll, fd)
		}
		fmt.Println("ready", first)
		serve(poll, listeners)
	}
	fmt.Fprintln(os.Stderr, "no ports are free on 127.0.0.1 and its neighbours")
	os.Exit(1)
}

func listenAll(first, hosts, ports int) (map[int]bool, bool) {
	listeners := map[int]bool{}
	for i := 0; i < hosts*ports; i++ {
		fd := check(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
		listeners[fd] = true
		must(syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
		address := syscall.SockaddrInet4{Port: first + i%ports, Addr: [4]byte{127, 0, 0, byte(1 + i/ports)}}
		if syscall.Bind(fd, &address) != nil || syscall.Listen(fd, 4096) != nil {
			for fd := range listeners {
				syscall.Close(fd)
			}
			return nil, false
		}
	}
	return listeners, true
}

func serve(poll int, listeners map[int]bool) {
	events := make([]syscall.EpollEvent, 512)
	for {
		n, err := syscall.EpollWait(poll, events, -1)
		if err == syscall.EINTR {
			continue
		}
		must(err)
		for _, event := range events[:n] {
			fd := int(event.Fd)
			if !listeners[fd] {
				reply(fd)
				continue
			}
			for {
				connection, _, err := syscall.Accept4(fd, syscall.SOCK_NONBLOCK)
				if err != nil {
					break
				}
				// The request may be there already.
				if !reply(connection) {
					watch(poll, connection)
				}
			}
		}
	}
}

var inbox [4096]byte

func reply(fd int) bool {
	n, err := syscall.Read(fd, inbox[:])
	if err == syscall.EAGAIN {
		return false
	}
	if n > 0 {
		syscall.Write(fd, []byte(answer))
	}
	syscall.Close(fd)
	return true
}

func watch(poll, fd int) {
	must(syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
}

func number(name string) int { return check(strconv.Atoi(os.Getenv(name))) }

func check[T any](value T, err error) T {
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

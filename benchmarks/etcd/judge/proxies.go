package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// credentials are a client's, as PEM.
type credentials struct {
	CA   string `json:"ca"`
	Cert string `json:"cert"`
	Key  string `json:"key"`
}

// member is where a member of etcd is, and the name in its certificate.
type member struct {
	Address    string `json:"address"`
	ServerName string `json:"serverName"`
}

// held is how long a connection waits for a member.
const held = 5 * time.Second

// doors is how many there are: as many as a cluster usually has members.
const doors = 3

// proxies are doors without TLS, for etcd's recording client knows none. Behind each is a member; whose turn it is can change.
type proxies struct {
	list []net.Listener

	mux     sync.Mutex
	config  *tls.Config
	members []member
	open    map[net.Conn]member
}

func openProxies(given *credentials, members []member) (*proxies, error) {
	p := &proxies{members: members, open: map[net.Conn]member{}}
	if err := p.believe(given); err != nil {
		return nil, err
	}
	for i := range doors {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		p.list = append(p.list, listener)
		go p.accept(i, listener)
	}
	return p, nil
}

// believe changes whom new connections believe, and what they show.
func (p *proxies) believe(given *credentials) error {
	pair, err := tls.X509KeyPair([]byte(given.Cert), []byte(given.Key))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(given.CA)) {
		return errors.New("tls.ca has no certificate in it")
	}
	p.mux.Lock()
	defer p.mux.Unlock()
	p.config = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
	return nil
}

func (p *proxies) endpoints() (found []string) {
	for _, listener := range p.list {
		found = append(found, "http://"+listener.Addr().String())
	}
	return found
}

// lead sends new connections to these members, and ends those to others.
func (p *proxies) lead(members []member) {
	p.mux.Lock()
	defer p.mux.Unlock()
	p.members = members
	for connection, to := range p.open {
		stays := false
		for _, one := range members {
			stays = stays || one == to
		}
		if !stays {
			connection.Close()
		}
	}
}

func (p *proxies) behind(door int) (member, *tls.Config, bool) {
	p.mux.Lock()
	defer p.mux.Unlock()
	if len(p.members) == 0 {
		return member{}, nil, false
	}
	to := p.members[door%len(p.members)]
	config := p.config.Clone()
	config.ServerName = to.ServerName
	return to, config, true
}

func (p *proxies) accept(door int, listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go p.pass(door, connection)
	}
}

// dial finds a member that answers, the door's own first. Whoever knocks waits meanwhile: etcd's traffic tries again without a pause where
// it is turned away, and would leave others no time.
func (p *proxies) dial(door int) (member, *tls.Conn) {
	for deadline := time.Now().Add(held); time.Now().Before(deadline); door++ {
		if to, config, ok := p.behind(door); ok {
			far, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", net.JoinHostPort(to.Address, "2379"), config)
			if err == nil {
				return to, far
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return member{}, nil
}

func (p *proxies) pass(door int, near net.Conn) {
	defer near.Close()
	to, far := p.dial(door)
	if far == nil {
		return
	}
	defer far.Close()
	p.mux.Lock()
	p.open[near] = to
	p.mux.Unlock()
	defer func() {
		p.mux.Lock()
		delete(p.open, near)
		p.mux.Unlock()
	}()
	ended := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(far, near); ended <- struct{}{} }()
	go func() { _, _ = io.Copy(near, far); ended <- struct{}{} }()
	<-ended
}

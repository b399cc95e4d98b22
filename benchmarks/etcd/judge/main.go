// The judge writes to and reads from one etcd cluster while others break it, and says afterwards whether etcd has kept its promises.
// Traffic, model and validator are those of etcd's own robustness tests; here is only what leads them to a cluster of Kubernetes.
//
// It is led by lines of JSON on its standard input, and answers with lines of JSON on its standard output:
//
//	{"tls": {"ca", "cert", "key"}, "members": [{"address", "serverName"}], "qps": 100}   begin
//	{"tls": {…}, "members": […]}    whom to believe, what to show, and who votes now
//	{"end": true}                   end the traffic
//	{"data": ["folder", …]}         judge, also by what these members have on their disks
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// order is a line that comes in.
type order struct {
	TLS     *credentials `json:"tls"`
	Members []member     `json:"members"`
	// QPS is how many requests are made in a second at most.
	QPS float64 `json:"qps"`
	// Mutant names a fault of the judge's own records, which its validator must find.
	Mutant string `json:"mutant"`
	// End ends the traffic; a line with data must follow.
	End bool `json:"end"`
	// Data are the folders of members, as they were after the end.
	Data []string `json:"data"`
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	var (
		doors *proxies
		run   *traffic
		told  history
	)
	for lines.Scan() {
		var next order
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			return fmt.Errorf("a line is not understood: %w", err)
		}
		switch {
		case next.TLS != nil && run == nil:
			var err error
			if doors, err = openProxies(next.TLS, next.Members); err != nil {
				return err
			}
			if run, err = startTraffic(doors.endpoints(), next.QPS); err != nil {
				return err
			}
			say(map[string]any{"started": true})
		case run == nil:
			return fmt.Errorf("the first line must have tls and members")
		case next.End:
			var err error
			if told, err = run.end(); err != nil {
				return err
			}
			say(map[string]any{"ended": true})
		case next.Data != nil:
			say(judge(told, next.Data, next.Mutant))
			return nil
		default:
			if next.TLS != nil {
				if err := doors.believe(next.TLS); err != nil {
					return err
				}
			}
			doors.lead(next.Members)
		}
	}
	return lines.Err()
}

func say(what any) {
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}
